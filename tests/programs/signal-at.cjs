/**
 * Sends the signal STATUSD_TEST_SIGNAL to its own process at one phase of a start, which STATUSD_TEST_PHASE names. It is
 * loaded before the program (node --require), so that the moment does not depend on the speed of the machine.
 */
'use strict';
const fs = require('node:fs');
const vm = require('node:vm');

const { STATUSD_TEST_SIGNAL: signal, STATUSD_TEST_PHASE: phase } = process.env;
let isSent = false;

function reach(reached) {
  if (reached !== phase || isSent) return;
  isSent = true;
  process.kill(process.pid, signal);
}

/** The script of the command is about to be compiled. */
vm.Script = class extends vm.Script {
  constructor(...args) {
    reach('script');
    super(...args);
  }
};

const phasesOfFiles = [
  [/\.toml$/, 'configuration'],
  [/-tmp\.[0-9a-f]+$/, 'lock'],
  [/-log\.\d+$/, 'log'],
];

function reachFile(path) {
  for (const [name, reached] of phasesOfFiles) if (name.test(String(path))) reach(reached);
}

for (const api of [fs, fs.promises]) {
  for (const call of ['open', 'link', 'mkdtemp']) {
    const original = api[call];
    api[call] = (...args) => {
      reachFile(args[0]);
      reachFile(args[1]);
      if (call === 'mkdtemp') reach('folder');
      return original.apply(api, args);
    };
  }
}
