"""`python -m components.workflow.benchmarks`: see --help."""

import sys

try:
    from components.workflow.benchmarks.command import main
except KeyboardInterrupt:  # pressed while the program was still being loaded
    sys.exit(130)

sys.exit(main())
