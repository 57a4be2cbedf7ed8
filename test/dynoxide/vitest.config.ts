import { mergeConfig } from 'vitest/config';
import common from '../vitest.config.ts';

/** Runs all tests with the table of each test cloud in dynoxide instead of in the process. */
export default mergeConfig(common, { test: { setupFiles: ['test/dynoxide/setup.ts'] } });
