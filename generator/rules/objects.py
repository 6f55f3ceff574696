"""Rules about the objects that are rendered and those that the operator makes of them."""

from collections.abc import Iterator, Mapping
from typing import Any

from generator.declared.crds import plain
from generator.declared.fleet import Cluster, Kernel, Mode, Pool, Taint
from generator.declared.layers import Path, leaves
from generator.facts import crd
from generator.facts.kernel import sanitised
from generator.facts.label import is_subdomain
from generator.facts.objectname import policy_daemonset
from generator.facts.release import DriverApi
from generator.render.driver import policy_spec, toleration
from generator.rules.context import Context
from generator.rules.rule import Problem

MAX_LABEL, MAX_NAME = 63, 253
