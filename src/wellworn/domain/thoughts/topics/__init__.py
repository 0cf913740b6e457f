"""Topics: what the thoughts of a space are about, in a tree that lasts."""

from wellworn.domain.thoughts.topics.browsing import (
    TopicBrowser,
    TopicName,
    TopicOverview,
    TopicPage,
    TopicSummary,
)
from wellworn.domain.thoughts.topics.index import TopicIndex, TopicMap
from wellworn.domain.thoughts.topics.landscape import MOST_POINTS, Cartographer, Landscape
from wellworn.domain.thoughts.topics.layout import Topic
