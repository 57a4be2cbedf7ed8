import { performance } from 'node:perf_hooks';
import type { Clock } from '../clock.ts';

/** The time (ms) over which event loop usage is measured. */
const SPAN_MS = 50;
/** An event loop with higher utilization than this is at the limit. */
const MAX_UTILIZATION = 0.9;

/** Returns a function that reports whether this process was at the limit in the last measured period. */
export const createBusy = (clock: Clock, measure = performance.eventLoopUtilization): (() => boolean) => {
  let since = clock.now();
  let before = measure();
  let isBusy = false;
  return () => {
    if (clock.now() - since < SPAN_MS) return isBusy;
    const current = measure();
    isBusy = measure(current, before).utilization > MAX_UTILIZATION;
    since = clock.now();
    before = current;
    return isBusy;
  };
};
