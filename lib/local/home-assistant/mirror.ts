import type { Log } from '#shared/observability/log.ts';
import type { Clock } from '../clock.ts';
import type { Change } from './changes.ts';
import { type HomeDeps, type KnownHome, readHome, readStates } from './home.ts';
import type { Presentation } from './presentation.ts';

/** How long (ms) changes to states, and to lists of sensors and groups, are collected before they are shown. */
const STATES_MS = 50;
const LISTS_MS = 1_000;
/** How often (ms) everything is reread: the watch, languages, and outdated rates. */
const REFRESH_MS = 60_000;

type Options = {
  deps: HomeDeps;
  clock: Clock;
  log: Log;
  customerId: number;
  presentation: Presentation;
  /** Called when the home could not be read. The next refresh retries the read. */
  onFailure: () => void;
};

/** Creates a timer. `start` schedules `run` in `ms`, unless a run is already scheduled. */
const createDelay = (clock: Clock, ms: number, run: () => void) => {
  let cancel: (() => void) | null = null;
  return {
    start: (): void => {
      cancel ??= clock.after(ms, () => {
        cancel = null;
        run();
      });
    },
    stop: (): void => cancel?.(),
  };
};

/** Reads changes to a home one at a time and shows them. */
const createReader = ({ deps, log, customerId, presentation, onFailure }: Options) => {
  let home: KnownHome | null = null;
  const changed = { all: false, lists: false, rooms: new Set<string>(), states: new Set<string>() };
  let isRunning = false;
  let running = Promise.resolve();

  const showAll = async (): Promise<void> => {
    changed.all = false;
    if (home) await presentation.show(home, () => deps.pause(0));
  };
  const readLists = async (): Promise<void> => {
    const changedRooms = new Set(changed.rooms);
    changed.lists = false;
    changed.rooms.clear();
    changed.states.clear();
    try {
      home = await readHome(deps, customerId, { before: home, changedRooms });
    } catch (error) {
      for (const sensorId of changedRooms) changed.rooms.add(sensorId);
      throw error;
    }
    await showAll();
  };
  const readChangedStates = async (): Promise<void> => {
    const current = home;
    const sensorIds = [...changed.states].filter((sensorId) => current?.sensors.has(sensorId));
    changed.states.clear();
    for (const [sensorId, state] of await readStates(deps, customerId, sensorIds)) {
      const known = current?.sensors.get(sensorId);
      if (!current || !known) continue;
      current.sensors.set(sensorId, { ...known, state });
      presentation.showState({ ...known, state }, current);
    }
  };
  const work = async (): Promise<void> => {
    try {
      while (changed.all || changed.lists || changed.states.size > 0)
        await (changed.all ? showAll() : changed.lists ? readLists() : readChangedStates());
    } catch (error) {
      log('warn', 'the sensors could not be read for Home Assistant', { customerId }, error);
      onFailure();
    } finally {
      // Reset right after the last check for changes, so no change is missed.
      isRunning = false;
    }
  };
  return {
    changed,
    home: () => home,
    read: (): void => {
      if (isRunning) return;
      isRunning = true;
      running = work();
    },
    idle: (): Promise<void> => running,
  };
};

/** Shows a customer's sensors whenever they change. */
export const createMirror = (options: Options) => {
  const { clock, presentation } = options;
  const { changed, home, read, idle } = createReader(options);
  const readLists = (): void => {
    changed.lists = true;
    read();
  };
  const states = createDelay(clock, STATES_MS, read);
  const lists = createDelay(clock, LISTS_MS, readLists);
  let cancelRefresh = () => {};
  const refresh = (): void => {
    cancelRefresh = clock.after(REFRESH_MS, refresh);
    readLists();
  };
  const showLater = (sensorId: string): void => {
    changed.states.add(sensorId);
    states.start();
  };
  return {
    start: refresh,
    /** Records a change to the customer's data. */
    onChange: (change: Change): void => {
      if (change.kind === 'room') changed.rooms.add(change.sensorId);
      if (change.kind === 'state') showLater(change.sensorId);
      else lists.start();
    },
    /** Records new rates from a sensor. */
    showRates: showLater,
    has: (sensorId: string): boolean => home()?.sensors.has(sensorId) ?? false,
    /** Shows everything known. */
    showAll: (): void => {
      changed.all = true;
      read();
    },
    noteKept: (sensorId: string, payload: string): void => presentation.noteKept(home(), sensorId, payload),
    stop: async (): Promise<void> => {
      cancelRefresh();
      states.stop();
      lists.stop();
      await idle();
    },
  };
};
export type Mirror = ReturnType<typeof createMirror>;
