package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/dplab/dplab/data/internal/rawfile"
)

// downloader downloads files over HTTP.
type downloader struct {
	client *http.Client
	log    io.Writer
}

// tries is the number of requests to one place for the rest of an interrupted download.
const tries = 3

// file returns the content with the right checksum from the first URL that has it. The bytes
// received so far are kept in path.part until the whole file is there.
func (d downloader) file(ctx context.Context, path string, urls []string, sum rawfile.Checksum) ([]byte, error) {
	part := path + ".part"
	var errs []error
	for _, url := range urls {
		content, err := d.from(ctx, url, part, sum)
		if err == nil {
			return content, os.Remove(part)
		}
		errs = append(errs, fmt.Errorf("%s: %w", url, err))
		fmt.Fprintf(d.log, "%s: %v\n", url, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("no URL has %s: %w", path, errors.Join(errs...))
}

// from downloads one URL. An interrupted download continues where it stopped. One that is whole and
// wrong is started again once, in case it was continued from another file's part.
func (d downloader) from(ctx context.Context, url, part string, sum rawfile.Checksum) ([]byte, error) {
	var err error
	for range tries {
		var continued bool
		if continued, err = d.rest(ctx, url, part); err != nil {
			if ctx.Err() != nil || errors.As(err, new(statusError)) {
				return nil, err
			}
			continue
		}
		var content []byte
		if content, err = os.ReadFile(part); err != nil {
			return nil, err
		}
		if err = sum.Verify(url, content); err == nil {
			return content, nil
		}
		if err := os.Remove(part); err != nil {
			return nil, err
		}
		if !continued {
			return nil, err
		}
	}
	return nil, err
}

// statusError is an answer that is not the file.
type statusError string

func (s statusError) Error() string { return "the server answers " + string(s) }

// rest appends the missing bytes to part, or writes it anew if the server does not continue.
func (d downloader) rest(ctx context.Context, url, part string) (continued bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, err
	}
	have := int64(0)
	if info, err := os.Stat(part); err == nil && info.Size() > 0 {
		have = info.Size()
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	response, err := d.client.Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	mode := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	switch response.StatusCode {
	case http.StatusOK:
		have = 0
	case http.StatusPartialContent:
		mode, continued = os.O_WRONLY|os.O_APPEND, true
	case http.StatusRequestedRangeNotSatisfiable: // nothing is missing, or the part is not of this file
		return true, nil
	default:
		return false, statusError(response.Status)
	}
	f, err := os.OpenFile(part, mode, 0o644)
	if err != nil {
		return continued, err
	}
	fmt.Fprintf(d.log, "%s: %s\n", url, amount(have, response.ContentLength))
	_, err = io.Copy(f, response.Body)
	return continued, errors.Join(err, f.Close())
}

// amount returns how much is to come, if the server reports it.
func amount(have, rest int64) string {
	const mb = 1 << 20
	switch {
	case rest < 0:
		return "size not known"
	case have > 0:
		return fmt.Sprintf("%.1f of %.1f MB to go", float64(rest)/mb, float64(have+rest)/mb)
	}
	return fmt.Sprintf("%.1f MB", float64(rest)/mb)
}
