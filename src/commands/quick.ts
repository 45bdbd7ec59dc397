/** The command line once more, for what is to start as fast as it can: dist/ has it in one file with all it needs. */
export { main } from './cli.ts';
