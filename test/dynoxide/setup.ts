import { startLocal, startOnDynoxide, useOtherStart } from '../fixtures/cloud.ts';

// Dynoxide works in memory here, so a cloud whose folder is reused keeps its table in the process.
useOtherStart((options) => (options.dataDir && options.dataDir !== ':memory:' ? startLocal : startOnDynoxide)(options));
