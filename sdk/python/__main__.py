"""`python3 sdk/python PROJECT` builds without anything being installed but componentize-py."""

import sys

from tuffet.build import main

sys.exit(main())
