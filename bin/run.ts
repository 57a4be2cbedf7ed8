// Any Node version can parse this file (bin/package.json makes it CommonJS, and it has no types), so even an older
// version can start the command with the version that `npm ci` installed.
(() => {
  const { spawn } = require('node:child_process');
  const { existsSync, readdirSync } = require('node:fs');
  const { join } = require('node:path');
  const [command = '', ...args] = process.argv.slice(2);
  const commands = join(__dirname, 'commands');

  const installedNode = () => {
    try {
      return join(require.resolve('node/package.json'), '../bin', process.platform === 'win32' ? 'node.exe' : 'node');
    } catch {
      console.error(`This needs Node 24, but ${process.execPath} is ${process.version}. Run \`npm ci\` to install it.`);
      process.exit(1);
    }
  };

  if (!/^[a-z]+$/.test(command) || !existsSync(join(commands, `${command}.mts`))) {
    const names = readdirSync(commands).join(', ').replaceAll('.mts', '');
    console.error(`Unknown command ${JSON.stringify(command)}. Commands: ${names}.`);
    process.exitCode = 2;
  } else if (Number.parseInt(process.versions.node, 10) < 24) {
    const child = spawn(installedNode(), [__filename, command, ...args], { stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
    child.on('exit', () => {
      process.exitCode = child.exitCode ?? 1;
    });
  } else {
    process.argv.splice(2, 1);
    void import(`./commands/${command}.mts`);
  }
})();
