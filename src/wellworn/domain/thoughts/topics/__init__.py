"""Topics: what the thoughts of a space are about, in a tree, for browsing."""

from wellworn.domain.thoughts.topics.index import TopicIndex, TopicMap
from wellworn.domain.thoughts.topics.layout import Topic

__all__ = ["Topic", "TopicIndex", "TopicMap"]
