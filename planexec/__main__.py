"""`python -m planexec ...` is `planexec ...`."""

import sys

from planexec.cli import main

sys.exit(main())
