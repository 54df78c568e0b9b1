import type { Application } from "../../application/types.ts";
import type { FunctionHost } from "../../lambda/function_host.ts";
import type { Log } from "../log.ts";
import type { Messaging } from "../services/messaging.ts";
import { Follower } from "./follower.ts";
import { TableStream } from "./stream.ts";
import type { Tables } from "./tables.ts";

/** The options of {@linkcode followTables}. */
export interface FollowersOptions {
  readonly application: Application;
  readonly tables: Tables;
  readonly host: FunctionHost;
  readonly messaging: Messaging;
  readonly log: Log;
}

/** The followers of all tables. */
export interface Followers extends Disposable {
  /** Whether there may be changes that a function has not got. */
  readonly isBusy: boolean;
}

/** Invokes the functions that listen to tables with the changes from now on, until the disposal of the result. */
export async function followTables(
  { application, tables, host, messaging, log }: FollowersOptions,
): Promise<Followers> {
  const stop = new AbortController();
  const { signal } = stop;
  const note = (text: string) => log.note(text);
  const followers: Follower[] = [];
  for (const { name, listeners } of Object.values(application.tables)) {
    if (tables.engine === undefined) break;
    for (const { function: functionName, deadLetters, ...trigger } of listeners) {
      followers.push(
        new Follower({
          ...trigger,
          functionName,
          functionArn: application.functions[functionName]!.arn,
          stream: await TableStream.open(tables, name),
          host,
          giveUp: (description) =>
            messaging.send(deadLetters.name, { body: JSON.stringify(description) }),
          note,
          signal,
        }),
      );
    }
  }
  for (const follower of followers) {
    void follower.run().catch((error) => {
      if (!signal.aborted) note(`Cannot read the changes of a table: ${error.message}`);
    });
  }
  const following = tables.follow(() => followers.forEach((follower) => follower.wake()));
  return {
    get isBusy() {
      return followers.some(({ isBusy }) => isBusy);
    },
    [Symbol.dispose]() {
      following[Symbol.dispose]();
      stop.abort();
    },
  };
}
