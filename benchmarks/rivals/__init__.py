"""Other ways to find things, behind the two methods of the memorybench harness.

A figure says little alone. So the same documents and questions go to plain searches and to memory
systems that anyone can install, each as its documentation says, and none of them with a key.
"""
