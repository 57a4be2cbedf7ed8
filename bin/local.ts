// The entry point for services of the operating system. `npm start` runs the same command.
process.argv.splice(2, 0, 'start');
require('./run.ts');
