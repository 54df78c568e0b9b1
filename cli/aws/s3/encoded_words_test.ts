import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import * as fc from "fast-check";
import { anyText } from "../../../testdata/any_text.ts";
import { decodeWords, encodeWords } from "./encoded_words.ts";

/** What Amazon S3 reads of bytes of UTF-8 in a header field: each byte is a character. */
const received = (text: string) => Buffer.from(text).toString("latin1");

/**
 * The first answer is in the guide of AWS on metadata, and the next two were measured for MinIO (pull request 21282). They follow
 * the rule of JavaMail's MimeUtility.encodeText(): `Q` if most characters are ASCII, otherwise `B`.
 */
Deno.test("encodeWords() answers as Amazon S3 does", () => {
  const cases = [
    [received("ÄMÄZÕÑ S3"), "=?UTF-8?B?w4PChE3Dg8KEWsODwpXDg8KRIFMz?="],
    [received("Miniö"), "=?UTF-8?Q?Mini=C3=83=C2=B6?="],
    [received("ö"), "=?UTF-8?B?w4PCtg==?="],
    ["AMAZONS3", "AMAZONS3"],
    ["a = b?_ é", "=?UTF-8?Q?a_=3D_b=3F=5F_=C3=A9?="],
    ["a\tb~ !", "a\tb~ !"],
    ["", ""],
  ];
  for (const [text, expected] of cases) assertEquals(encodeWords(text!), expected);
});

/** The examples of RFC 2047, section 8. */
Deno.test("decodeWords() reads encoded words, and leaves every other text", () => {
  const cases = [
    ["=?ISO-8859-1?Q?a?=", "a"],
    ["=?ISO-8859-1?Q?a?= b", "a b"],
    ["=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?b?=", "ab"],
    ["=?ISO-8859-1?Q?a?=  =?ISO-8859-1?Q?b?=", "ab"],
    ["=?ISO-8859-1?Q?a_b?=", "a b"],
    ["=?ISO-8859-1?Q?a?= =?ISO-8859-2?Q?_b?=", "a b"],
    ["=?utf-8?b?4oKs?=", "€"],
    ["=?ISO-8859-1?q?Patrik_F=E4ltstr=F6m?=", "Patrik Fältström"],
    ["=?none?Q?a?=", "=?none?Q?a?="],
    ["=?UTF-8?X?a?=", "=?UTF-8?X?a?="],
    ["50% =? off ?=", "50% =? off ?="],
    ["plain", "plain"],
  ];
  for (const [text, expected] of cases) assertEquals(decodeWords(text!), expected);
});

Deno.test("decodeWords() reads what encodeWords() writes, in words of at most 75 characters", () => {
  const encodedWord = /^=\?UTF-8\?[BQ]\?[!->@-~]+\?=$/;
  fc.assert(fc.property(fc.array(anyText, { maxLength: 9 }), (parts) => {
    const text = parts.join("é").toWellFormed();
    const words = encodeWords(text);
    assertEquals(/^[\t -~]*$/.test(words), true, words);
    if (words === text) return;
    assertEquals(decodeWords(words), text);
    for (const word of words.split(" ")) {
      assertEquals([encodedWord.test(word), word.length <= 75], [true, true], word);
    }
  }));
});
