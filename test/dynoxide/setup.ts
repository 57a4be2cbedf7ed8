import { startElsewhere, startHere, startOnDynoxide } from '../fixtures/cloud.ts';

// Dynoxide works in memory here, so a cloud whose folder is reused keeps its table in the process.
startElsewhere((options) => (options.dataDir && options.dataDir !== ':memory:' ? startHere : startOnDynoxide)(options));
