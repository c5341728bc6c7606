"""Wilson intervals, which the libraries of these scripts do not all have."""

from statistics import NormalDist

Z = NormalDist().inv_cdf(0.975)


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Give the ends of the 95 % interval of a share."""
    share, spread = successes / trials, Z * Z / trials
    middle = share + spread / 2
    half = (spread * (share * (1 - share) + spread / 4)) ** 0.5
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))
