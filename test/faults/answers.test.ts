import { kinds } from './faults.ts';
import { testFaults } from './one-seed.ts';

const { acknowledgements, feeds } = kinds;
testFaults({ acknowledgements, feeds });
