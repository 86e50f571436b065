# oneTBB compiled with ThreadSanitizer, which must see the atomics that order the memory accesses of tasks: beside the
# distribution's library it reports every value that passes from one thread to another. Downloaded;
# -DFETCHCONTENT_SOURCE_DIR_ONETBB=FOLDER takes sources that are already here.
include(FetchContent)
set(TBB_TEST OFF)
set(TBB_STRICT OFF)  # its own warnings are not errors
FetchContent_Declare(oneTBB GIT_REPOSITORY https://github.com/uxlfoundation/oneTBB GIT_TAG v2023.1.0 GIT_SHALLOW ON)
FetchContent_MakeAvailable(oneTBB)
