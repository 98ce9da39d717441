"""`python -m planexec.course ...` is `planexec course ...`."""

import sys

from planexec.course import main

sys.exit(main())
