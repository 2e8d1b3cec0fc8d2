#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 12)) {
  // Said before anything is loaded that an older one cannot load.
  process.stderr.write(`parking: Node 20.12 or later is needed. This is Node ${process.versions.node}.\n`);
  process.exit(2);
}
const { main } = await import('../dist/main.js');

await main(process.argv.slice(2));
