import { startElsewhere, startHere, startOnDynoxide } from '../fixtures/cloud.ts';

// Dynoxide is in memory here: a cloud whose folder is used again has its table in the process.
startElsewhere((options) => (options.dataDir && options.dataDir !== ':memory:' ? startHere : startOnDynoxide)(options));
