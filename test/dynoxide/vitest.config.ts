import { mergeConfig } from 'vitest/config';
import common from '../vitest.config.ts';

/** Runs all tests with each test cloud's table in dynoxide instead of in-process. */
export default mergeConfig(common, { test: { setupFiles: ['test/dynoxide/setup.ts'] } });
