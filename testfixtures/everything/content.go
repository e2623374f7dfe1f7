package everything

import (
	"context"
	"encoding/base64"
	"encoding/binary"

	"isthmus.internal/mcp"
)

// addContentTools adds a tool for each kind of content.
func (s *server) addContentTools() {
	for _, t := range []struct {
		name, description string
		content           []mcp.Content
	}{
		{"test_simple_text", "Answers with one block of text.", []mcp.Content{simpleText()}},
		{"test_image_content", "Answers with an image.", []mcp.Content{redDot()}},
		{"test_audio_content", "Answers with a moment of sound.", []mcp.Content{&mcp.AudioContent{Data: silence(), MIMEType: "audio/wav"}}},
		{"test_embedded_resource", "Answers with a resource inside of the result.", []mcp.Content{embedded("test://embedded-resource")}},
		{"test_resource_link", "Answers with a link to a resource.", []mcp.Content{&mcp.ResourceLink{Resource: mcp.Resource{
			URI: readmeURI, Name: "readme", MIMEType: "text/plain"}}}},
		{"test_multiple_content_types", "Answers with text, an image and a resource.",
			[]mcp.Content{&mcp.TextContent{Text: "Several kinds of content:"}, redDot(), embedded("test://mixed-content-resource")}},
	} {
		s.AddTool(mcp.Tool{Name: t.name, Description: t.description, InputSchema: noArguments},
			func(context.Context, *mcp.Call) (*mcp.Result, error) { return &mcp.Result{Content: t.content}, nil })
	}
}

func simpleText() *mcp.TextContent {
	return &mcp.TextContent{Text: "This is a simple text response for testing."}
}

// redDot is a picture of one red pixel.
func redDot() *mcp.ImageContent {
	return &mcp.ImageContent{Data: redPixel(), MIMEType: "image/png"}
}

func redPixel() []byte {
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC"
	pixel, err := base64.StdEncoding.DecodeString(png)
	if err != nil {
		panic(err)
	}
	return pixel
}

// silence is ten milliseconds of sound that cannot be heard, as a WAV file: 8 bits, one
// channel, 8000 samples a second.
func silence() []byte {
	const rate, samples = 8000, 80
	wav := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, 36+samples)...)
	wav = append(wav, "WAVEfmt "...)
	wav = binary.LittleEndian.AppendUint32(wav, 16)   // bytes of what follows
	wav = binary.LittleEndian.AppendUint16(wav, 1)    // no compression
	wav = binary.LittleEndian.AppendUint16(wav, 1)    // channels
	wav = binary.LittleEndian.AppendUint32(wav, rate) // samples a second
	wav = binary.LittleEndian.AppendUint32(wav, rate) // bytes a second
	wav = binary.LittleEndian.AppendUint16(wav, 1)    // bytes a sample
	wav = binary.LittleEndian.AppendUint16(wav, 8)    // bits a sample
	wav = append(wav, "data"...)
	wav = binary.LittleEndian.AppendUint32(wav, samples)
	for range samples {
		wav = append(wav, 0x80)
	}
	return wav
}

func embedded(uri string) *mcp.EmbeddedResource {
	return &mcp.EmbeddedResource{Contents: &mcp.TextResource{URI: uri, MIMEType: "text/plain",
		Text: "This is an embedded resource content."}}
}
