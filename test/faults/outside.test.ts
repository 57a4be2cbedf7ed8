import { kinds, lagging } from './faults.ts';
import { testFaults } from './one-seed.ts';

const { receivers, people, unnotified, operators, changes, audit, escalations } = kinds;
testFaults({ receivers, people, unnotified, operators, audit, escalations });
testFaults({ changes: changes.map(lagging) });
