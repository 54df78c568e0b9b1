import { curlCommand, examplePath, invokersOf, routeKey } from "../../application/invoking.ts";
import type { Application, UrlTrigger } from "../../application/types.ts";
import { METHODS } from "../../rules/router.ts";
import { copyable, type Form, type Html, jsonField, markup, option } from "./forms.ts";
import { itemForm, messageForm, uploadForm } from "./resource_forms.ts";

/** A way to call a function: what the start page and the terminal show of it. */
export interface Trigger {
  /** An item of the list of addresses. */
  readonly address?: Html;
  readonly form?: Form;
  /** Its name in the terminal. */
  readonly what?: string;
  /**
   * Makes lines for the terminal: commands to copy.
   *
   * @param control The URL of the platform.
   * @param folder The folder of the buckets.
   */
  readonly commands?: (control: string, folder: string) => readonly string[];
}

/** What the entries of the table read. */
interface Subject extends ReturnType<typeof invokersOf> {
  readonly application: Application;
  readonly name: string;
  /** The URL of the gateway, with the stage. */
  readonly base: string;
}

/** All kinds of triggers. */
const KINDS: readonly ((of: Subject) => readonly Trigger[])[] = [
  ({ routes, application: { api }, base }) =>
    routes.map(({ method, path }) => {
      const url = base + examplePath(path);
      const isOpenable = method === "ANY" || method === "GET";
      const text = isOpenable ? markup`<a href="${url}">${path}</a>` : markup`<code>${path}</code>`;
      const command = curlCommand(method, url, api !== undefined);
      return addressOf(routeKey({ method, path }), method, text, command);
    }),
  ({ url: settings, name, base }) => {
    if (settings === undefined) return [];
    const url = functionUrl(name, base);
    const link = markup`<a href="${url}">${url}</a>`;
    return [addressOf("function URL", "URL", link, urlCommand(url, settings))];
  },
  ({ routes, name, application: { gateway } }) => {
    if (routes.length === 0) return [];
    const methods = new Set(
      routes.some(({ method }) => method === "ANY")
        ? ["GET", ...METHODS]
        : routes.map(({ method }) => method),
    );
    const paths = routes.map(({ path }) => gateway!.prefix + examplePath(path));
    const form = {
      summary: "Send a request",
      isOpen: true,
      fields: markup`
<div class="row">
<label>Method<select name="method">${[...methods].map(option)}</select></label>
<label class="wide">Path and query
<input name="path" value="${paths[0]!}" list="paths-${name}" required spellcheck="false"></label>
<datalist id="paths-${name}">${paths.map(option)}</datalist>
<label>Accept<select name="accept">
${["application/json", "text/html", "*/*"].map(option)}</select></label>
</div>
<label>Header fields
<textarea name="headers" rows="1" placeholder="Authorization: Bearer token" spellcheck="false"></textarea></label>
<label>Body<textarea name="body" rows="2" spellcheck="false"></textarea></label>`,
      button: "Send",
      sender: "request",
      path: "requests",
    } as const;
    return [{ form }];
  },
  ({ schedules, name }) =>
    schedules.map(({ expression, timezone }, index) => ({
      form: {
        title: markup`Fires by itself: <code>${expression}</code> in ${timezone}`,
        button: "Fire now",
        path: `schedules/${name}/${index}`,
      },
      what: expression,
      commands: (control) => [`curl -X POST '${control}/schedules/${name}/${index}'`],
    })),
  ({ events }) =>
    events.map(({ pattern, bus }) => {
      const { source = "example", detail = {}, ...rest } = exampleOf(pattern!);
      const own = bus === "default" ? {} : { bus };
      const example = { source, "detail-type": rest["detail-type"] ?? "Example", detail, ...own };
      const plain = { ...own, source: "SOURCE", "detail-type": "TYPE", detail: {} };
      return {
        form: {
          title: markup`Events that match <code>${JSON.stringify(pattern)}</code>`,
          fields: jsonField("Event of the bus (JSON)", 6, example),
          button: "Put the event",
          path: "events",
        },
        what: "events",
        commands: (control) => [`curl -d '${JSON.stringify(plain)}' '${control}/events'`],
      };
    }),
  ({ buckets, application }) =>
    buckets.map((bucket) => ({
      form: { title: markup`Bucket <code>${bucket}</code>`, ...uploadForm(bucket) },
      what: `bucket ${bucket}`,
      commands(control, folder) {
        const { prefix, suffix } = application.buckets[bucket]!.listeners[0]!;
        const object = `'${control}/buckets/${bucket}/${prefix}FILE${suffix}'`;
        const copying = `or copy files to ${folder}/${bucket}`;
        return [`curl -T FILE ${object}`, `curl -X DELETE ${object}`, copying];
      },
    })),
  ({ topics, name }) =>
    topics.map((topic) => ({
      form: {
        title: markup`Topic <code>${topic}</code>, to which <b>${name}</b> is subscribed`,
        fields: markup`
<label>Subject<input name="subject" maxlength="100"></label>
<label>Message<textarea name="message" rows="2" required></textarea></label>
<fieldset>
<legend>Attributes</legend>
<div class="row">
<label class="wide">Name<input name="attribute-name" spellcheck="false"></label>
<label>Type<select name="attribute-type">
${["String", "Number", "String.Array", "Binary"].map(option)}</select></label>
<label class="wide">Value<input name="attribute-value" spellcheck="false"></label>
</div>
<button type="button" data-add="attribute">Another attribute</button>
</fieldset>`,
        button: "Publish",
        sender: "message",
        path: `topics/${topic}`,
      },
      what: `topic ${topic}`,
      commands(control) {
        const fields = "-d message=Hello -d subject=Greeting -d attribute=n:Number:1";
        return [`curl ${fields} '${control}/topics/${topic}'`];
      },
    })),
  ({ queues, name, application }) =>
    queues.map((queue) => {
      const settings = application.queues[queue]!;
      return {
        form: {
          title: markup`Queue <code>${queue}</code>, whose messages invoke <b>${name}</b>`,
          ...messageForm(queue, settings),
        },
        what: `queue ${queue}`,
        commands: (control) => [
          `curl -d MESSAGE '${control}/queues/${queue}${settings.fifo ? "?group=GROUP" : ""}'`,
        ],
      };
    }),
  ({ tables, application }) =>
    tables.map((table) => ({
      form: {
        title: markup`
The changes of the table <a href="#data/tables/${table}">${table}</a> invoke this function.`,
        ...itemForm(table, application.tables[table]!),
      },
      what: `table ${table}`,
      commands: (control) => [`curl -d ITEM '${control}/tables/${table}'`],
    })),
  ({ name, application: _application, base: _base, ...invokers }) => {
    const path = `2015-03-31/functions/${name}/invocations`;
    const isAlone = Object.values(invokers).flat().every((one) => one === undefined);
    return [{
      form: {
        summary: "Invoke with your own event",
        fields: jsonField("Event (JSON)", 4, {}),
        button: "Invoke",
        path,
      },
      what: "no trigger",
      commands: (control) => isAlone ? [`curl -d '{}' '${control}/${path}'`] : [],
    }];
  },
];

function addressOf(what: string, method: string, text: Html, command: string): Trigger {
  const address = markup`
<li><span class="method">${method}</span> ${text}
${copyable(command)}</li>`;
  return { address, what, commands: () => [command] };
}

/** Returns the URL of a function: its own host below localhost, with the port of the platform. */
function functionUrl(functionName: string, platform: string): string {
  return `http://${functionName}.localhost:${new URL(platform).port || 80}/`;
}

/** Returns the command for a function URL. With IAM, the command signs the request: here any access key is allowed. */
function urlCommand(url: string, { auth }: UrlTrigger): string {
  const signed = auth === "iam" ? "--aws-sigv4 aws:amz:us-east-1:lambda --user me:local " : "";
  return `curl -N ${signed}'${url}'`;
}

/** Makes an object with the first value of each list in a pattern. Leaves out conditions. */
function exampleOf(pattern: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(pattern).flatMap(([key, value]) => {
      if (!Array.isArray(value)) return [[key, exampleOf(Object(value))]];
      return typeof value[0] === "object" ? [] : [[key, value[0]]];
    }),
  );
}

/** Lists the triggers of a function, kind by kind. */
export function triggersOf(
  application: Application,
  name: string,
  base: string,
): readonly Trigger[] {
  const subject = { application, name, base, ...invokersOf(application, name) };
  return KINDS.flatMap((kind) => kind(subject));
}
