import { mergeConfig } from 'vitest/config';
import common from '../vitest.config.ts';

/** All tests once more, with the table of each test cloud in dynoxide instead of in the process. */
export default mergeConfig(common, { test: { setupFiles: ['test/dynoxide/setup.ts'] } });
