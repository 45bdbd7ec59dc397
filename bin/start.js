/** `npm start`: serves the statusd.toml of this folder or, without one, the demo, and says what to try beside it. */
'use strict';
const { existsSync } = require('node:fs');

const command = existsSync('statusd.toml') ? 'serve' : 'demo';
process.stdout.write(
  command === 'serve'
    ? `Serves ./statusd.toml; the line "ready at" names the address to open. To try in another terminal:
  npx statusd check        probes everything once
  npx statusd top          the live view
  npx statusd incidents    what went wrong
  npx statusd doctor       looks at the configuration, the database, the network and the channels
`
    : `There is no ./statusd.toml, so this is the demo. To write one for a site of yours:
  npx statusd init https://example.com
`,
);
process.argv.splice(2, 0, command);
require('./statusd.js');
