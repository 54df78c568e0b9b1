/**
 * A model of Amazon S3: each key is a register, whose value is a body with its own metadata and entity tag. Clients send
 * requests at the same time, the platform is killed meanwhile, and its disk is full.
 *
 * @module
 */
import { S3 } from "@aws-sdk/client-s3";
import { assert, assertEquals } from "@std/assert";
import { createHash } from "node:crypto";
import { checkAnswers } from "../../cli/testdata/contract.ts";
import { FILES, QUIET } from "../../cli/testdata/platform.ts";
import { explain, type Step } from "./history.ts";
import { MortalPlatform } from "./mortal_platform.ts";

const CLIENTS = 6;
/** No file can have the name of the second key, nor that of the last beside the first. */
const KEYS = ["a", "b//c", "d/e", "d/f", "a/g"];
/** The size of the disk in KiB. The objects fit, but not always with those that are written meanwhile. */
const DISK = 450;
const MAX_BODY = 60_000;
const NONE = "";
const Bucket = FILES;

const md5 = (content: string | Uint8Array) => createHash("md5").update(content).digest();

/** The object with an identifier. Everything that belongs to it follows from the identifier. */
function objectOf(id: string) {
  const size = parseInt(md5(id).toString("hex").slice(0, 8), 16) % MAX_BODY;
  const Body = `${id};`.repeat(size / id.length).slice(0, size);
  const etag = `"${md5(Body).toString("hex")}"`;
  const ofParts = `"${md5(md5(Body)).toString("hex")}-1"`;
  const input = { ContentType: `text/${id}`, Metadata: { id } };
  return { id, Body, input, whole: `${id} ${etag}`, joined: `${id} ${ofParts}` };
}

const tagOf = (value: string) => value.split(" ")[1];

/** Sends random requests for some seconds. Throws if no order of them explains the answers. */
export async function run(seconds: number, random: (limit: number) => number): Promise<void> {
  await using platform = await MortalPlatform.create(DISK);
  const pick = <T>(values: readonly T[]): T => values[random(values.length)]!;
  let kills = 0;
  let isFull = false;
  const states = new Map(KEYS.map((key) => [key, new Set([NONE])]));
  const objects = new Map<string, ReturnType<typeof objectOf>>();
  const byTag = new Map<string, string>();
  let s3 = clientOf(await platform.restart());
  let clock = 0;
  let isKilled = false;

  function clientOf(endpoint: string): S3 {
    const credentials = { accessKeyId: "developer", secretAccessKey: "local" };
    return checkAnswers(
      new S3({ endpoint, region: "us-east-1", credentials, maxAttempts: 1, logger: QUIET }),
    );
  }

  function newObject() {
    const object = objectOf(`${random(1e9)}-${objects.size}`);
    objects.set(object.id, object);
    for (const value of [object.whole, object.joined]) byTag.set(tagOf(value)!, value);
    return object;
  }

  /** Sends requests for one key after the other. The steps of a round are those of all clients. */
  function createRound() {
    const steps = new Map<string, Step[]>(KEYS.map((key) => [key, []]));
    /** The values that a copy without an answer may have found. */
    const written = new Map(KEYS.map((key) => [key, new Set(states.get(key))]));
    const add = (
      key: string,
      shown: string,
      span: readonly [number, number],
      apply: Step["apply"],
    ) => steps.get(key)!.push({ start: span[0], end: span[1], apply, shown });
    const addMaybe = (key: string, shown: string, start: number, apply: Step["apply"]) =>
      steps.get(key)!.push({ start, end: Infinity, apply, shown, isOptional: true });

    /** Sends a request. Returns the output or the error, or `undefined` if nobody knows what happened. */
    async function send<T>(work: () => Promise<T>) {
      const start = clock++;
      const isOver = (): readonly [number, number] => [start, clock++];
      try {
        return { start, output: await work(), span: isOver() };
      } catch (error) {
        const { name, $metadata } = error as {
          name: string;
          $metadata?: { httpStatusCode?: number };
        };
        const status = $metadata?.httpStatusCode;
        if (status !== undefined && status < 500) return { start, error: name, span: isOver() };
        if (status === 500 && platform.hasDisk) isFull = true;
        else if (!isKilled) throw error;
        return { start };
      }
    }

    const write = (
      key: string,
      shown: string,
      start: number,
      value: string,
      span?: readonly [number, number],
    ) => {
      written.get(key)!.add(value);
      if (span === undefined) addMaybe(key, shown, start, () => [value]);
      else add(key, shown, span, () => [value]);
    };

    async function put(key: string) {
      const { id, Body, input, whole } = newObject();
      const condition = pick(["", "", "IfNoneMatch", "IfMatch"]);
      const tag = condition === "IfMatch" ? tagOf(pick([...states.get(key)!])) ?? '"0"' : "*";
      written.get(key)!.add(whole); // Another client may see it before the answer comes.
      const { start, error, span } = await send(() =>
        s3.putObject({ Bucket, Key: key, Body, ...input, ...(condition && { [condition]: tag }) })
      );
      const holds = (value: string) =>
        condition === "" || (condition === "IfMatch" ? tagOf(value) === tag : value === NONE);
      const shown = `put ${id} ${condition} ${error ?? ""}`;
      if (span === undefined) addMaybe(key, shown, start, (value) => holds(value) ? [whole] : []);
      else if (error === undefined) add(key, shown, span, (value) => holds(value) ? [whole] : []);
      else {
        assert(["PreconditionFailed", "NoSuchKey"].includes(error), error);
        const isGone = error === "NoSuchKey";
        add(
          key,
          shown,
          span,
          (value) =>
            !holds(value) && isGone === (value === NONE && condition === "IfMatch") ? [value] : [],
        );
      }
    }

    async function read(key: string, isHead = random(3) === 0) {
      const { error, output, span } = await send(async () => {
        const found = isHead
          ? { ...await s3.headObject({ Bucket, Key: key }), Body: undefined }
          : await s3.getObject({ Bucket, Key: key });
        return { ...found, text: await found.Body?.transformToString() };
      });
      if (span === undefined) return;
      if (output === undefined) {
        assert(["NoSuchKey", "NotFound"].includes(error!), error);
        return add(key, "read nothing", span, (value) => value === NONE ? [value] : []);
      }
      const { ETag, Metadata, ContentType, ContentLength, text } = output;
      const object = objects.get(Metadata!.id!)!;
      const value = `${object.id} ${ETag}`;
      const shown = `${isHead ? "head" : "get"} ${value} of ${key}`;
      assert(
        value === object.whole || value === object.joined,
        `${shown}: the tag of another body`,
      );
      if (!isHead) assert(text === object.Body, `${shown}: another body`);
      assertEquals(
        [ContentType, ContentLength],
        [object.input.ContentType, object.Body.length],
        shown,
      );
      add(key, shown, span, (found) => found === value ? [value] : []);
    }

    async function list() {
      const { output, span } = await send(() => s3.listObjectsV2({ Bucket }));
      if (span === undefined) return;
      const found = new Map(output!.Contents?.map(({ Key, ETag, Size }) => [Key, { ETag, Size }]));
      for (const key of KEYS) {
        const { ETag, Size } = found.get(key) ?? {};
        const { Body } = objects.get((byTag.get(ETag!) ?? "").split(" ")[0]!) ?? {};
        assertEquals(Size, Body?.length, `list ${key} ${ETag}: the size of another body`);
        add(key, `list ${ETag}`, span, (value) => tagOf(value) === ETag ? [value] : []);
      }
    }

    async function remove(keys: readonly string[]) {
      const Objects = keys.map((Key) => ({ Key }));
      const { start, span } = await send(() =>
        keys.length === 1
          ? s3.deleteObject({ Bucket, Key: keys[0] })
          : s3.deleteObjects({ Bucket, Delete: { Objects } })
      );
      for (const key of keys) write(key, "delete", start, NONE, span);
    }

    async function copy(key: string) {
      const from = pick(KEYS.filter((other) => other !== key));
      const CopySource = encodeURI(`${Bucket}/${from}`);
      const { start, error, output, span } = await send(() =>
        s3.copyObject({ Bucket, Key: key, CopySource })
      );
      const wholeOf = (value: string) => objects.get(value.split(" ")[0]!)?.whole;
      if (span === undefined) {
        const source = written.get(from)!;
        return addMaybe(
          key,
          `copy of ${from}`,
          start,
          () => [...source].flatMap((value) => wholeOf(value) ?? []),
        );
      }
      if (output === undefined) {
        assertEquals(error, "NoSuchKey");
        return add(from, "copy of nothing", span, (value) => value === NONE ? [value] : []);
      }
      const value = byTag.get(output.CopyObjectResult!.ETag!)!;
      add(from, `copy ${value}`, span, (found) => wholeOf(found) === value ? [found] : []);
      write(key, `copy of ${from}: ${value}`, start, value, span);
    }

    /** Uploads a part. Then completes the upload while other requests for it run. */
    async function upload(key: string) {
      const { id, Body, input, joined } = newObject();
      const place = { Bucket, Key: key };
      const begun = await send(() => s3.createMultipartUpload({ ...place, ...input }));
      if (begun.output === undefined) return;
      const target = { ...place, UploadId: begun.output.UploadId };
      const put = () => s3.uploadPart({ ...target, PartNumber: 1, Body });
      const part = await send(put);
      if (part.output === undefined) return;
      const Parts = [{ PartNumber: 1, ETag: part.output.ETag }];
      const complete = () => s3.completeMultipartUpload({ ...target, MultipartUpload: { Parts } });
      const abort = () => s3.abortMultipartUpload(target);
      written.get(key)!.add(joined);
      const completing = [complete, ...random(2) ? [complete] : []].map(send);
      const others = [put, ...random(3) ? [] : [abort]].map((work) => send<unknown>(work));
      const ends = await Promise.all(completing);
      const rest = await Promise.all(others);
      const all: { error?: string; span?: unknown }[] = [...ends, ...rest];
      for (const { error } of all) assert([undefined, "NoSuchUpload"].includes(error), error);
      const done = ends.find(({ output }) => output !== undefined);
      const isDone = [...ends, ...rest.slice(1)].filter(({ output }) => output !== undefined);
      assert(isDone.length < 2, "an upload ended twice");
      const shown = `complete ${id}`;
      if (done !== undefined) write(key, shown, done.start, joined, done.span);
      else if (ends.some(({ span }) => span === undefined)) {
        write(key, shown, Math.min(...ends.map(({ start }) => start)), joined);
      }
    }

    async function act() {
      for (let count = 0; count < 5 && !isKilled; count++) {
        const key = pick(KEYS);
        await pick([
          () => put(key),
          () => put(key),
          () => read(key),
          () => read(key),
          () => copy(key),
          () => upload(key),
          () => remove([key]),
          () => remove([key, pick(KEYS.filter((other) => other !== key))]),
          list,
        ])();
      }
    }

    /** Reads everything, and compares the answers with every possible order. */
    async function check() {
      for (const key of KEYS) await read(key, false);
      await list();
      for (const key of KEYS) {
        const found = explain(steps.get(key)!, states.get(key)!);
        if (found.size === 0) {
          const shown = steps.get(key)!.map(({ start, end, shown }) => `${start}-${end} ${shown}`);
          const before = [...states.get(key)!].join(", ");
          throw new Error(
            `No order explains the answers for "${key}", before: "${before}"\n${shown.join("\n")}`,
          );
        }
        states.set(key, found);
      }
    }
    return { act, check };
  }

  const end = performance.now() + seconds * 1_000;
  const isDone = () => kills > 0 && (isFull || !platform.hasDisk) && performance.now() > end;
  for (let round = 1; !isDone(); round++) {
    const { act, check } = createRound();
    const acting = Array.from({ length: CLIENTS }, act);
    if (round % 8 === 0) {
      await new Promise((resolve) => setTimeout(resolve, random(40)));
      isKilled = true;
      kills++;
      const url = await platform.restart();
      await Promise.all(acting);
      s3.destroy();
      s3 = clientOf(url);
      isKilled = false;
    }
    await Promise.all(acting);
    await check();
  }
  s3.destroy();
  const problems = platform.log.join("").split("\n")
    .filter((line) => line !== "" && !/No space left on device/.test(line));
  assertEquals(problems, []);
}
