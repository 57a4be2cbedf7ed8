import { mergeConfig } from 'vitest/config';
import base from '../vitest.config.ts';

const { MUTANT_TESTS } = process.env;
const { include, ...test } = base.test ?? {};

/**
 * The tests that run against mutants, as run.ts lists them. Stryker's own option for that, `testFiles`, activates a
 * mutant too late for code that runs once, when its file is loaded, so that the mutant seems to survive.
 */
export default mergeConfig({ test }, { test: { include: MUTANT_TESTS?.split(',') ?? include } });
