"""A bank with several tellers, simulated event by event."""

import heapq

import numpy as np

ARRIVAL, DEPARTURE = 0, 1


class Bank:
    def __init__(self, n_tellers):
        self.free_tellers = n_tellers
        self.waiting = []
        self.clock = 0.0
        self.area = 0.0  # of the queue's length over time

    def advance(self, time):
        self.area += len(self.waiting) * (time - self.clock)
        self.clock = time


def simulate(interarrival, service, n_tellers=2, closing=np.inf):
    """The mean waiting time, the mean length of the queue, the end, and who was served."""
    bank = Bank(n_tellers)
    arrivals = np.cumsum(interarrival)
    waits = np.zeros(len(arrivals))
    served = np.zeros(len(arrivals), dtype=bool)
    events = []
    for customer, time in enumerate(arrivals):
        if time > closing:
            break
        heapq.heappush(events, (time, ARRIVAL, customer))

    while events:
        time, kind, customer = heapq.heappop(events)
        bank.advance(time)
        if kind == ARRIVAL:
            if bank.free_tellers > 0:
                bank.free_tellers -= 1
                served[customer] = True
                heapq.heappush(events, (time + service[customer], DEPARTURE, customer))
            else:
                bank.waiting.append(customer)
        elif bank.waiting:
            following = bank.waiting.pop(0)
            waits[following] = time - arrivals[following]
            served[following] = True
            heapq.heappush(events, (time + service[following], DEPARTURE, following))
        else:
            bank.free_tellers += 1

    n_served = np.sum(served)
    if n_served == 0:
        return 0.0, 0.0, 0.0, served
    return np.sum(waits) / n_served, bank.area / bank.clock, bank.clock, served


def mean_wait(interarrival, service, n_tellers):
    return simulate(interarrival, service, n_tellers)[0]
