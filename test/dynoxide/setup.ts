import { startLocal, startOnDynoxide, useOtherStart } from '../fixtures/cloud.ts';

// Dynoxide runs in memory here, so a cloud that reuses a folder keeps the table in-process.
useOtherStart((options) => (options.dataDir && options.dataDir !== ':memory:' ? startLocal : startOnDynoxide)(options));
