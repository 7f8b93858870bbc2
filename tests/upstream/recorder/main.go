// Recorder answers what the API server's own packages say of a request: a JSON line for a JSON line.
//
// The packages are those of the go.mod that it is built with, so one build answers for one version of Kubernetes.
// Requests are described at Request, answers at Answer.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "recorder:", err)
		os.Exit(1)
	}
}

// serve writes an answer for each line of in, and sends it before it reads the next line.
func serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<20)
	answers := json.NewEncoder(out)
	answers.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if e := write(out, answerLine(line)); e != nil {
				return e
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// write encodes an answer before it writes it, because a value such as NaN cannot be encoded.
func write(out io.Writer, a *Answer) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(a); err != nil {
		line.Reset()
		if err := encoder.Encode(&Answer{Unanswered: "answer cannot be encoded: " + err.Error()}); err != nil {
			return err
		}
	}
	_, err := out.Write(line.Bytes())
	return err
}

// answerLine answers one request. A panic of the server's packages is an answer, too.
func answerLine(line []byte) (a *Answer) {
	defer func() {
		if r := recover(); r != nil {
			a = &Answer{Panic: fmt.Sprint(r)}
		}
	}()
	var request Request
	if err := json.Unmarshal(line, &request); err != nil {
		return unanswered("request cannot be read: " + err.Error())
	}
	return answer(&request)
}

func answer(request *Request) *Answer {
	switch request.Op {
	case "create":
		return createCRD(request)
	case "update":
		return updateCRD(request)
	case "cr":
		return customResource(request)
	case "apply":
		return apply(request)
	case "yaml":
		return decodeYAML(request)
	}
	return unanswered("unknown op " + request.Op)
}
