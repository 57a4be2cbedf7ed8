// The entry point for operating system services. `npm start` runs the same command.
process.argv.splice(2, 0, 'start');
require('./run.ts');
