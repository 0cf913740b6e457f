"""Sleep: what many thoughts say alike is brought together, as titled quotes of what is true now."""

from wellworn.domain.thoughts.sleep.bridges import BridgeKeeper
from wellworn.domain.thoughts.sleep.overviews import Overview, OverviewReader
from wellworn.domain.thoughts.sleep.retelling import Reteller, Retelling, RetoldClaim
from wellworn.domain.thoughts.sleep.sleeper import Rest, Sleeper
