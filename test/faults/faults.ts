import type { Fault } from './fault.ts';
import { ofAcknowledgements } from './kinds/acknowledgements.ts';
import { ofAudit } from './kinds/audit.ts';
import { ofChanges } from './kinds/changes.ts';
import { ofClocks } from './kinds/clocks.ts';
import { ofErasures } from './kinds/erasures.ts';
import { ofEscalations } from './kinds/escalations.ts';
import { ofFeeds } from './kinds/feeds.ts';
import { ofIdentity } from './kinds/identity.ts';
import { ofOperators } from './kinds/operators.ts';
import { ofOrder } from './kinds/order.ts';
import { ofPeople } from './kinds/people.ts';
import { ofProcesses } from './kinds/processes.ts';
import { ofQueue } from './kinds/queue.ts';
import { ofReceivers } from './kinds/receivers.ts';
import { ofReports } from './kinds/reports.ts';
import { ofSetBack } from './kinds/set-back.ts';
import { ofTable } from './kinds/table.ts';
import { ofUnnotified } from './kinds/unnotified.ts';

/** All faults, grouped by the part that fails. */
export const kinds = {
  processes: ofProcesses,
  clocks: ofClocks,
  setBack: ofSetBack,
  identity: ofIdentity,
  table: ofTable,
  queues: ofQueue,
  order: ofOrder,
  reports: ofReports,
  receivers: ofReceivers,
  people: ofPeople,
  unnotified: ofUnnotified,
  operators: ofOperators,
  changes: ofChanges,
  audit: ofAudit,
  acknowledgements: ofAcknowledgements,
  escalations: ofEscalations,
  feeds: ofFeeds,
  erasures: ofErasures,
} as const;
/** Returns the same fault with lag in the table's eventually consistent reads. */
export const lagging = (fault: Fault): Fault => ({ ...fault, title: `${fault.title} (reads lag)`, lags: true });

const plain = Object.values(kinds).flat();
export const faults: readonly Fault[] = [...plain, ...plain.map(lagging)];
