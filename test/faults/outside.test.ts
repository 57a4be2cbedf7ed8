import { kinds, lagging } from './faults.ts';
import { testFaults } from './one-seed.ts';

const { receivers, people, operators, changes } = kinds;
testFaults({ receivers, people, operators });
testFaults({ changes: changes.map(lagging) });
