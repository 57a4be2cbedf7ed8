import { enableCompileCache } from 'node:module';

// Half of a start is compiling: the second start finds it done. So everything else is loaded after this.
enableCompileCache();
const { runCloud } = await import('../lib/local/main.ts');
try {
  await runCloud(process.env, console.log);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
