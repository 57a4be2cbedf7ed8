// This is JavaScript that any Node can read, so that an older one says what is missing instead of failing at a type.
(() => {
  const [major] = process.versions.node.split('.');
  if (Number(major) < 24) {
    console.error(
      `This needs Node 24, and ${process.execPath} is ${process.version}. \`npm ci\` installs the right one beside it: ` +
        'start it by `npm start`, or by node_modules/.bin/node bin/local.ts',
    );
    process.exit(1);
  }
  void import('../lib/local/start.ts').then(({ start }) =>
    start(process.argv.slice(2), process.env, { out: console.log, err: console.error }),
  );
})();
