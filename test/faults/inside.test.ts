import { kinds, lagging } from './faults.ts';
import { testFaults } from './one-seed.ts';

const { processes, table, queues, order } = kinds;
testFaults({ processes: processes.map(lagging), table, queues, order });
