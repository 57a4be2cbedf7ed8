import { mergeConfig } from 'vitest/config';
import base from '../vitest.config.ts';

const { MUTANT_TESTS } = process.env;
// Stryker runs the tests in threads, and V8 options cannot be set for a thread.
const { include, execArgv: _, ...test } = base.test ?? {};

/**
 * The tests to run against mutants, as listed by run.ts. Stryker's own option, `testFiles`, activates a mutant too late
 * for code that runs once at load time, so the mutant seems to survive.
 */
export default mergeConfig({ test }, { test: { include: MUTANT_TESTS?.split(',') ?? include } });
