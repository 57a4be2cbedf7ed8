import { kinds } from './faults.ts';
import { testFaults } from './one-seed.ts';

const { clocks, identity } = kinds;
testFaults({ clocks, identity });
