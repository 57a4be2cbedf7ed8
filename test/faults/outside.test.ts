import { kinds } from './faults.ts';
import { testFaults } from './one-seed.ts';

const { receivers, operators } = kinds;
testFaults({ receivers, operators });
