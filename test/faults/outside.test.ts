import { kinds, lagging } from './faults.ts';
import { testFaults } from './one-seed.ts';

const { receivers, people, operators, changes, escalations } = kinds;
testFaults({ receivers, people, operators, escalations });
testFaults({ changes: changes.map(lagging) });
