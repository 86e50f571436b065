// The place of this process among those that train a model together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace haplospin {

struct ProcessPlace {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;  // among those on this machine: the CUDA device to take
  std::string address = "localhost";
  uint16_t port = 29500;
};

// Reads RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT as torchrun sets them or, in a step of srun, Slurm's
// own variables; one process where neither is there. Throws InputError if they contradict each other or are not
// numbers.
ProcessPlace ProcessPlaceFromEnvironment();

// The first host of a list as Slurm writes it: "node03" of "node[03-07,12],gpu1".
std::string FirstHost(std::string_view slurm_node_list);

}  // namespace haplospin
