import { kinds } from './faults.ts';
import { testFaults } from './one-seed.ts';

const { processes, table, queues } = kinds;
testFaults({ processes, table, queues });
