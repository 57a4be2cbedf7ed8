import { kinds, lagging } from './faults.ts';
import { testFaults } from './one-seed.ts';

const { receivers, operators, changes } = kinds;
testFaults({ receivers, operators });
testFaults({ changes: changes.map(lagging) });
