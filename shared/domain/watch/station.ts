import * as z from 'zod';
import { SensorWithFalls } from '../event/open-fall-view.ts';
import { OnDutyView } from '../people/duty.ts';
import { RuleHit } from '../rule/rule-hit.ts';
import { MAX_STATION_HITS, MAX_STATION_SENSORS } from './station-limits.ts';
import { Watch } from './watch.ts';

/** The data shown on a station, a screen for watching over people. */
export const Station = z
  .object({
    openFalls: z
      .array(SensorWithFalls)
      .max(MAX_STATION_SENSORS)
      .meta({ description: 'the first page of the open falls list' }),
    sensorsWithFalls: z.int().min(0).meta({ description: 'how many sensors are in the open falls list' }),
    hits: z
      .array(RuleHit)
      .max(MAX_STATION_HITS)
      .meta({ description: 'the most recently changed hits, newest change first' }),
    watch: Watch,
    onDuty: z.array(OnDutyView),
  })
  .meta({ id: 'Station' });
