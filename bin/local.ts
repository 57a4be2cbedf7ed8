// The program that services of the operating system start; `npm start` runs the same command.
process.argv.splice(2, 0, 'start');
require('./run.ts');
