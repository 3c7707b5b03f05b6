"""`python -m edrew_torch` is the command `edrew`."""

from edrew_torch.cli import main

if __name__ == "__main__":
    main()
