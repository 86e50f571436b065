from haplospin import main

main()
