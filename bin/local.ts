import { enableCompileCache } from 'node:module';

// Compiling takes half of the start, and the compile cache saves it from the second start on. So all other modules
// are imported after this line.
enableCompileCache();
const { runCloud } = await import('../lib/local/main.ts');
try {
  await runCloud(process.env, console.log);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
