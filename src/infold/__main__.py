"""`python -m infold` is the command `infold`."""

from infold.cli import main

if __name__ == "__main__":
    main()
