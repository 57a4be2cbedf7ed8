import { kinds } from './faults.ts';
import { testFaults } from './one-seed.ts';

const { clocks, setBack, identity, reports } = kinds;
testFaults({ clocks, setBack, identity, reports });
